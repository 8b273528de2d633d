-- expect 2: no position
error('no position', 0)
