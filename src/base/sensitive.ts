/** Replaces, in every output, a text that only the service may see. */
export const sensitive = '(sensitive)';
