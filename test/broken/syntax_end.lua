-- expect 4: 'end' expected (to close 'for' at line 2) near the end of the file
for i = 1, 3 do
  body { name = "b" .. i, mass = 1, inertia = {1, 1, 1} }
