-- expect 3: no key 'drive' in a spherical joint; it belongs to: revolute, prismatic, distance, generic
body { name = "a", mass = 2, inertia = {1, 2, 2.5} }
joint { name = "j", type = "spherical", bodies = {"ground", "a"}, at = {0, 0, 0}, drive = function(t) return t end }
