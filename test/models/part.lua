local other = curve("part.csv", {x = "s", y = "other"})
return {mass = curve("part.csv", {y = "mass"}),
        second = function() body { name = "b", mass = other(1), inertia = {1, 1, 1} } end}
