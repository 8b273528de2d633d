/* Numbers as text: as few digits as give the same bits back, and of those the nearest to the number. */
#ifndef PH_IO_NUMBER_H
#define PH_IO_NUMBER_H

#define PH_NUMBER_MAX 32 /* bytes of the longest text, its end and some room */

/* In the form of %.17g: plain from 1e-4 on and below 1e17, else with an exponent; nan, inf and -inf. Returns the length; no
 * 0 ends the text. */
int ph_number_write(double x, char text[PH_NUMBER_MAX]);

#endif
