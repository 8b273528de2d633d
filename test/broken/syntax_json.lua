-- expect 3: '}' expected
local x = {
  "name" : "a" }
