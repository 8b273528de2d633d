-- expect 3: this takes more than 2e+08 operations; is there an infinite loop?
model "loop"
while true do end
