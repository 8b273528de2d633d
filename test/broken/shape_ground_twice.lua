-- expect 3: ground: is given twice, first on line 2
ground { shape = {sphere = 1} }
ground { shape = {sphere = 1} }
