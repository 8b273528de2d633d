-- expect 2: syntax error
model “broken”
