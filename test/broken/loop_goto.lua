-- expect 2: this takes more than 2 s; is there a loop without end?
::again:: goto again
