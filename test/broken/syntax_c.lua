-- expect 2: syntax error near
double mass = 1.0;
