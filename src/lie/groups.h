/* The operations record of every group and chart; one file each. */
#ifndef PH_LIE_GROUPS_H
#define PH_LIE_GROUPS_H

#include "polhode/lie.h"

#define PH_GROUP(code, ops, text) extern const ph_group_ops ops;
#include "polhode/groups.def"
#undef PH_GROUP

#define PH_CHART(code, ops, text) extern const ph_chart_ops ops;
#include "polhode/charts.def"
#undef PH_CHART

#endif
