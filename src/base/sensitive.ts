/** What stands in every output for a text that only the service may see. */
export const sensitive = '(sensitive)';
