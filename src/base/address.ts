/** How a resource is named everywhere: its kind and its name, `application.<slug>` or `user.<username>`. */
export type Address = `${string}.${string}`;
