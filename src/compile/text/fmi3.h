/* ---- version 3.0 ------------------------------------------------------------------------------------------- */

typedef void *fmi3Instance;
typedef enum fmi3Status { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef void (*fmi3LogMessageCallback)(void *, fmi3Status, const char *, const char *);

typedef struct fmi3_instance {
    fmu_instance f; /* first */
    fmi3LogMessageCallback log;
    void *environment;
} fmi3_instance;

static fmi3Status fmi3_say(fmi3_instance *c, fmi3Status status)
{
    if (c->log)
        c->log(c->environment, status, status == fmi3Discard ? "logStatusDiscard" : "logStatusError",
               c->f.message);
    return status;
}

#define FMI3_IN(modes, name)                                                                                 \
    fmi3_instance *c = instance;                                                                             \
    if (!c)                                                                                                  \
        return fmi3Error;                                                                                    \
    if (!fmu_is(&c->f, name, modes))                                                                         \
    return fmi3_say(c, fmi3Error)

#define FMI3_DO(call) return (call) ? fmi3OK : fmi3_say(c, fmi3Error)

FMU_EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}

FMU_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance instance, _Bool on, size_t n,
                                          const char *const *categories)
{
    FMI3_IN(0x1f, "fmi3SetDebugLogging");
    (void)n, (void)categories;
    c->f.logs = on;
    return fmi3OK;
}

static fmi3Instance fmi3_refuse(fmi3LogMessageCallback log, void *environment, const char *why)
{
    if (log)
        log(environment, fmi3Error, "logStatusError", why);
    return NULL;
}

FMU_EXPORT fmi3Instance fmi3InstantiateCoSimulation(const char *name, const char *token,
                                                    const char *resources, _Bool visible, _Bool logs,
                                                    _Bool event_mode, _Bool early_return,
                                                    const unsigned *intermediate, size_t n, void *environment,
                                                    fmi3LogMessageCallback log, void (*update)(void))
{
    (void)resources, (void)visible, (void)event_mode, (void)early_return, (void)intermediate, (void)n,
        (void)update;
    if (!name || !*name)
        return fmi3_refuse(log, environment, "an instance needs a name");
    if (!token || strcmp(token, FMU_TOKEN) != 0)
        return fmi3_refuse(log, environment, "the instantiation token is not that of the binary");
    fmi3_instance *c = calloc(1, sizeof *c);
    if (!c)
        return fmi3_refuse(log, environment, "not enough memory");
    c->log = log, c->environment = environment, c->f.logs = logs;
    fmu_begin(&c->f);
    return c;
}

FMU_EXPORT fmi3Instance fmi3InstantiateModelExchange(const char *name, const char *token,
                                                     const char *resources, _Bool visible, _Bool logs,
                                                     void *environment, fmi3LogMessageCallback log)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logs;
    return fmi3_refuse(log, environment, "the FMU is for co-simulation");
}

FMU_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(const char *name, const char *token,
                                                          const char *resources, _Bool visible, _Bool logs,
                                                          void *environment, fmi3LogMessageCallback log,
                                                          void (*clock)(void), void (*lock)(void),
                                                          void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)clock, (void)lock,
        (void)unlock;
    return fmi3_refuse(log, environment, "the FMU is for co-simulation");
}

FMU_EXPORT void fmi3FreeInstance(fmi3Instance instance)
{
    free(instance);
}

FMU_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, _Bool has_tolerance,
                                                  double tolerance, double start, _Bool has_stop, double stop)
{
    FMI3_IN(1u << FMU_INSTANTIATED, "fmi3EnterInitializationMode");
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    if (fmu_setup(&c->f, start)) {
        c->f.now.mode = FMU_INITIALIZATION;
        return fmi3OK;
    }
    return fmi3_say(c, fmi3Error);
}

FMU_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    FMI3_IN(1u << FMU_INITIALIZATION, "fmi3ExitInitializationMode");
    FMI3_DO(fmu_initialize(&c->f));
}

FMU_EXPORT fmi3Status fmi3Terminate(fmi3Instance instance)
{
    FMI3_IN(1u << FMU_STEP, "fmi3Terminate");
    c->f.now.mode = FMU_TERMINATED;
    return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3Reset(fmi3Instance instance)
{
    FMI3_IN(0x1f, "fmi3Reset");
    fmu_begin(&c->f);
    return fmi3OK;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

FMU_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance instance, const unsigned *vr, size_t n, double *value,
                                     size_t n_value)
{
    FMI3_IN(1u << FMU_INITIALIZATION | 1u << FMU_STEP | 1u << FMU_TERMINATED | 1u << FMU_FAILED,
            "fmi3GetFloat64");
    FMI3_DO(n == n_value ? fmu_get(&c->f, vr, n, value)
                         : fmu_fail(&c->f, "each variable is one number: %lu variables, %lu numbers",
                                    (unsigned long)n, (unsigned long)n_value));
}

FMU_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance instance, const unsigned *vr, size_t n, const double *value,
                                     size_t n_value)
{
    FMI3_IN(1u << FMU_INSTANTIATED | 1u << FMU_INITIALIZATION | 1u << FMU_STEP, "fmi3SetFloat64");
    FMI3_DO(n == n_value ? fmu_set(&c->f, vr, n, value)
                         : fmu_fail(&c->f, "each variable is one number: %lu variables, %lu numbers",
                                    (unsigned long)n, (unsigned long)n_value));
}

/* There are variables of the type Float64 alone. */
#define FMI3_NONE(name, ...)                                                                                 \
    FMU_EXPORT fmi3Status name(fmi3Instance instance, const unsigned *vr, size_t n, __VA_ARGS__)             \
    {                                                                                                        \
        FMI3_IN(0x1f, #name);                                                                                \
        (void)vr, (void)value;                                                                               \
        FMI3_NOTHING;                                                                                        \
        FMI3_DO(n == 0 || fmu_fail(&c->f, "%s: the FMU has variables of the type Float64 alone", #name));    \
    }

#define FMI3_NOTHING (void)n_value
FMI3_NONE(fmi3GetFloat32, float *value, size_t n_value)
FMI3_NONE(fmi3GetInt8, int8_t *value, size_t n_value)
FMI3_NONE(fmi3GetUInt8, uint8_t *value, size_t n_value)
FMI3_NONE(fmi3GetInt16, int16_t *value, size_t n_value)
FMI3_NONE(fmi3GetUInt16, uint16_t *value, size_t n_value)
FMI3_NONE(fmi3GetInt32, int32_t *value, size_t n_value)
FMI3_NONE(fmi3GetUInt32, uint32_t *value, size_t n_value)
FMI3_NONE(fmi3GetInt64, int64_t *value, size_t n_value)
FMI3_NONE(fmi3GetUInt64, uint64_t *value, size_t n_value)
FMI3_NONE(fmi3GetBoolean, _Bool *value, size_t n_value)
FMI3_NONE(fmi3GetString, const char **value, size_t n_value)
FMI3_NONE(fmi3SetFloat32, const float *value, size_t n_value)
FMI3_NONE(fmi3SetInt8, const int8_t *value, size_t n_value)
FMI3_NONE(fmi3SetUInt8, const uint8_t *value, size_t n_value)
FMI3_NONE(fmi3SetInt16, const int16_t *value, size_t n_value)
FMI3_NONE(fmi3SetUInt16, const uint16_t *value, size_t n_value)
FMI3_NONE(fmi3SetInt32, const int32_t *value, size_t n_value)
FMI3_NONE(fmi3SetUInt32, const uint32_t *value, size_t n_value)
FMI3_NONE(fmi3SetInt64, const int64_t *value, size_t n_value)
FMI3_NONE(fmi3SetUInt64, const uint64_t *value, size_t n_value)
FMI3_NONE(fmi3SetBoolean, const _Bool *value, size_t n_value)
FMI3_NONE(fmi3SetString, const char *const *value, size_t n_value)
#undef FMI3_NOTHING
#define FMI3_NOTHING (void)sizes, (void)n_value
FMI3_NONE(fmi3GetBinary, size_t *sizes, const uint8_t **value, size_t n_value)
FMI3_NONE(fmi3SetBinary, const size_t *sizes, const uint8_t *const *value, size_t n_value)
#undef FMI3_NOTHING
#define FMI3_NOTHING (void)0
FMI3_NONE(fmi3GetClock, _Bool *value)
FMI3_NONE(fmi3SetClock, const _Bool *value)
#undef FMI3_NOTHING
#define FMI3_NOTHING (void)more
FMI3_NONE(fmi3GetIntervalDecimal, double *value, int *more)
FMI3_NONE(fmi3SetIntervalDecimal, const double *value, const void *more)
FMI3_NONE(fmi3GetShiftDecimal, double *value, const void *more)
FMI3_NONE(fmi3SetShiftDecimal, const double *value, const void *more)
#undef FMI3_NOTHING
#define FMI3_NOTHING (void)resolution, (void)more
FMI3_NONE(fmi3GetIntervalFraction, uint64_t *value, uint64_t *resolution, int *more)
FMI3_NONE(fmi3SetIntervalFraction, const uint64_t *value, const uint64_t *resolution, const void *more)
FMI3_NONE(fmi3GetShiftFraction, uint64_t *value, uint64_t *resolution, const void *more)
FMI3_NONE(fmi3SetShiftFraction, const uint64_t *value, const uint64_t *resolution, const void *more)

/* ---- states ------------------------------------------------------------------------------------------------- */

FMU_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance instance, void **state)
{
    FMI3_IN(0x1f, "fmi3GetFMUState");
    fmu_state *copy = *state ? *state : malloc(sizeof *copy);
    if (!copy) {
        fmu_fail(&c->f, "not enough memory for a state");
        return fmi3_say(c, fmi3Error);
    }
    *copy = c->f.now;
    *state = copy;
    return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance instance, void *state)
{
    FMI3_IN(0x1f, "fmi3SetFMUState");
    FMI3_DO(fmu_restore(&c->f, state));
}

FMU_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance instance, void **state)
{
    FMI3_IN(0x1f, "fmi3FreeFMUState");
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, void *state, size_t *size)
{
    FMI3_IN(0x1f, "fmi3SerializedFMUStateSize");
    (void)state;
    *size = FMU_PACKED;
    return fmi3OK;
}

FMU_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance instance, void *state, uint8_t *bytes, size_t size)
{
    FMI3_IN(0x1f, "fmi3SerializeFMUState");
    FMI3_DO(fmu_pack(&c->f, state, bytes, size));
}

FMU_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const uint8_t *bytes, size_t size,
                                              void **state)
{
    FMI3_IN(0x1f, "fmi3DeserializeFMUState");
    FMI3_DO(fmu_unpack(&c->f, bytes, size, state));
}

FMU_EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const unsigned *unknown,
                                                   size_t n_unknown, const unsigned *known, size_t n_known,
                                                   const double *seed, size_t n_seed, double *out,
                                                   size_t n_out)
{
    FMI3_IN(1u << FMU_INITIALIZATION | 1u << FMU_STEP | 1u << FMU_TERMINATED, "fmi3GetDirectionalDerivative");
    FMI3_DO(n_seed == n_known && n_out == n_unknown
                ? fmu_derivative(&c->f, unknown, n_unknown, known, n_known, seed, out)
                : fmu_fail(&c->f, "each variable is one number"));
}

/* ---- steps -------------------------------------------------------------------------------------------------- */

FMU_EXPORT fmi3Status fmi3DoStep(fmi3Instance instance, double t, double size, _Bool no_rollback,
                                 _Bool *event, _Bool *terminate, _Bool *early, double *reached)
{
    FMI3_IN(1u << FMU_STEP, "fmi3DoStep");
    (void)no_rollback;
    int done = fmu_do_step(&c->f, t, size);
    *event = *terminate = *early = 0;
    *reached = fmu_time(&c->f);
    return done > 0 ? fmi3OK : fmi3_say(c, done < 0 ? fmi3Discard : fmi3Error);
}

/* ---- what an FMU for co-simulation without events does not have ---------------------------------------------- */

#define FMI3_NEVER(name, ...)                                                                                \
    FMU_EXPORT fmi3Status name(fmi3Instance instance __VA_ARGS__)                                            \
    {                                                                                                        \
        FMI3_IN(0x1f, #name);                                                                                \
        FMI3_DO(fmu_fail(&c->f, "%s: the FMU does not have this", #name));                                   \
    }

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
FMI3_NEVER(fmi3EnterEventMode, )
FMI3_NEVER(fmi3EnterConfigurationMode, )
FMI3_NEVER(fmi3ExitConfigurationMode, )
FMI3_NEVER(fmi3EvaluateDiscreteStates, )
FMI3_NEVER(fmi3EnterContinuousTimeMode, )
FMI3_NEVER(fmi3EnterStepMode, )
FMI3_NEVER(fmi3UpdateDiscreteStates, , _Bool *a, _Bool *b, _Bool *n, _Bool *v, _Bool *d, double *t)
FMI3_NEVER(fmi3CompletedIntegratorStep, , _Bool no_rollback, _Bool *event, _Bool *terminate)
FMI3_NEVER(fmi3SetTime, , double t)
FMI3_NEVER(fmi3SetContinuousStates, , const double *x, size_t n)
FMI3_NEVER(fmi3GetContinuousStateDerivatives, , double *x, size_t n)
FMI3_NEVER(fmi3GetEventIndicators, , double *x, size_t n)
FMI3_NEVER(fmi3GetContinuousStates, , double *x, size_t n)
FMI3_NEVER(fmi3GetNominalsOfContinuousStates, , double *x, size_t n)
FMI3_NEVER(fmi3GetNumberOfEventIndicators, , size_t *n)
FMI3_NEVER(fmi3GetNumberOfContinuousStates, , size_t *n)
FMI3_NEVER(fmi3GetOutputDerivatives, , const unsigned *vr, size_t n, const int *order, double *value,
           size_t n_value)
FMI3_NEVER(fmi3GetNumberOfVariableDependencies, , unsigned vr, size_t *n)
FMI3_NEVER(fmi3GetVariableDependencies, , unsigned vr, size_t *a, unsigned *b, size_t *i, int *kind, size_t n)
FMI3_NEVER(fmi3GetAdjointDerivative, , const unsigned *unknown, size_t n_unknown, const unsigned *known,
           size_t n_known, const double *seed, size_t n_seed, double *out, size_t n_out)
FMI3_NEVER(fmi3ActivateModelPartition, , unsigned clock, double t)
