-- expect 2: event 'e': action has no 'relase'; did you mean 'release'?
event { name = "e", when = function(t, s) return t - 1 end, action = {relase = "j"} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "spherical", bodies = {"ground", "a"}, at = {0, 0, 0} }
