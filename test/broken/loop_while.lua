-- expect 3: this takes more than 2 s; is there a loop without end?
model "loop"
while true do end
