-- expect 2: objective 'J': final must be function(s): it gets the state at the end, whose time is s.t
objective{ name = "J", final = function(t, s) return s.t end }
