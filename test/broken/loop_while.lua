-- expect 3: this takes more than 2e+08 operations; is there a loop without end?
model "loop"
while true do end
