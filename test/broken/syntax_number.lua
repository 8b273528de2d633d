-- expect 2: malformed number near '1.2.3'
gravity {0, 0, 1.2.3}
