-- expect 2: event 'e': release: there is no joint 'jj'
event { name = "e", when = function(t, s) return t - 1 end, action = {release = "jj"} }
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "j", type = "spherical", bodies = {"ground", "a"}, at = {0, 0, 0} }
