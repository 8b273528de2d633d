/* Searching numbers that rise. */
#ifndef PH_BASE_SORTED_H
#define PH_BASE_SORTED_H

/* How many of the n numbers are less than x. */
static inline long ph_sorted_below(long n, const double *rising, double x)
{
    long low = 0, high = n;
    while (low < high) {
        long mid = (low + high) / 2;
        if (rising[mid] < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* How many of them are at most x. */
static inline long ph_sorted_up_to(long n, const double *rising, double x)
{
    long k = ph_sorted_below(n, rising, x);
    while (k < n && rising[k] == x)
        k++;
    return k;
}

#endif
