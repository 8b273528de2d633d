-- expect 2: bad 'for' initial value (number expected, got table)
for i = {}, 3 do end
