/* One step: Newton's method for the equations (N2), each member until it has converged, and what is kept of it.
 *
 * The model gives ph_predict, ph_system (the increment x at the present theta and lambda), ph_correct and ph_move. */
#ifndef PH_COMPILE_STEP_H
#define PH_COMPILE_STEP_H

/* Members that have not converged; the new point of the others is in W. */
PH_FN ph_mask ph_newton(const PH_MODEL *s, ph_work *W)
{
    ph_real last = ph_k(1), huge = ph_k(HUGE_VAL);
    ph_mask active = huge > 0, failed = huge < 0;
    W->iterations = ph_k(0);
    for (int k = 1; k <= PH_MAX_ITERATIONS && ph_any(active); k++) {
        ph_system(s, W);
        ph_real size = ph_correct(W, active), rate = k > 1 ? size / last : ph_k(1);
        ph_mask done = (size <= 1) | ((rate < PH_RATE_TRUSTED) & (size * rate * rate <= 1));
        ph_mask bad = ph_not(size < huge) | ((size > 1e3 * last) & (size > 1e6) & (rate > 1));
        W->iterations = ph_select(active, ph_k(k), W->iterations);
        failed = failed | (active & bad) | (active & done & ph_loose(W));
        active = active & ph_not(done | bad);
        last = size;
    }
    return failed | active;
}

/* The new point, of all members. */
PH_FN void ph_take(PH_MODEL *s, const ph_work *W)
{
    for (int i = 0; i < PH_NV; i++) {
        s->a[i] = PH_A_1 * W->vdot[i] + PH_A_0 * s->vdot[i] + PH_A_A * s->a[i];
        s->last_vdot[i] = s->vdot[i];
        s->v[i] = W->v[i], s->vdot[i] = W->vdot[i];
    }
    for (int i = 0; i < PH_NL; i++)
        s->last_lambda[i] = s->lambda[i], s->lambda[i] = W->lambda[i];
    for (int i = 0; i < PH_NQ; i++)
        s->q[i] = W->q[i];
    s->slope = ph_k(1), s->t = W->t, s->steps = s->steps + 1, s->iterations = W->iterations;
    ph_keep_inputs(s, s->t == s->t);
    ph_track(s, s->t == s->t);
}

PH_FN unsigned ph_step(PH_MODEL *s)
{
    ph_work W;
    ph_mask failed = ph_jump(s);
    W.s = s, W.t = PH_T0 + (s->steps + 1) * PH_H;
    ph_predict(s, &W);
    failed = failed | ph_newton(s, &W);
    ph_move(s, &W);
    ph_remember(s, &W, failed);
    if (!ph_any(failed)) {
        ph_take(s, &W);
        return 0;
    }
    ph_real slope = ph_select(failed, s->slope, ph_k(1));
    for (int i = 0; i < PH_NV; i++) {
        ph_real a = PH_A_1 * W.vdot[i] + PH_A_0 * s->vdot[i] + PH_A_A * s->a[i];
        s->last_vdot[i] = ph_select(failed, s->last_vdot[i], s->vdot[i]);
        s->a[i] = ph_select(failed, s->a[i], a);
        s->v[i] = ph_select(failed, s->v[i], W.v[i]);
        s->vdot[i] = ph_select(failed, s->vdot[i], W.vdot[i]);
    }
    for (int i = 0; i < PH_NL; i++) {
        s->last_lambda[i] = ph_select(failed, s->last_lambda[i], s->lambda[i]);
        s->lambda[i] = ph_select(failed, s->lambda[i], W.lambda[i]);
    }
    for (int i = 0; i < PH_NQ; i++)
        s->q[i] = ph_select(failed, s->q[i], W.q[i]);
    s->slope = slope;
    s->t = ph_select(failed, s->t, W.t);
    s->steps = ph_select(failed, s->steps, s->steps + 1);
    s->iterations = W.iterations;
    ph_keep_inputs(s, ph_not(failed));
    ph_track(s, ph_not(failed));
    return ph_bits(failed);
}

#endif
