-- expect 3: break outside loop at line 2
break 
