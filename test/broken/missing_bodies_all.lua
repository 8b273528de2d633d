-- expect: no body and no particle
model "nothing"
gravity {0, 0, -9.81}
run { t_end = 1, h = 1e-3 }
