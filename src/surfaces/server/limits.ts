/** Of one request: the largest tool results that agents report are some megabytes. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
