-- expect 2: this takes more than 2e+08 operations; is there a loop without end?
::again:: goto again
