-- expect 2: invalid escape sequence
model "\q"
