/* The table of groups and the table of rotation coordinates. */
#include "polhode/lie.h"
#include "lie/groups.h"

static const ph_group_ops *const groups[PH_GROUP_COUNT] = {
#define PH_GROUP(code, ops, text) [code] = &ops,
#include "polhode/groups.def"
#undef PH_GROUP
};

static const ph_chart_ops *const charts[PH_CHART_COUNT] = {
#define PH_CHART(code, ops, text) [code] = &ops,
#include "polhode/charts.def"
#undef PH_CHART
};

const ph_group_ops *ph_group_get(ph_group g)
{
    return (unsigned)g < PH_GROUP_COUNT ? groups[g] : NULL;
}

int ph_group_dim(ph_group g, int n)
{
    const ph_group_ops *op = ph_group_get(g);
    return op && op->dim ? op->dim : n;
}

int ph_group_size(ph_group g, int n)
{
    const ph_group_ops *op = ph_group_get(g);
    return op && op->size ? op->size : n;
}

const ph_chart_ops *ph_chart_get(ph_chart c)
{
    return (unsigned)c < PH_CHART_COUNT ? charts[c] : NULL;
}
