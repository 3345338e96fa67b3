/** A property that is present only when its text is not empty. */
export const textProperty = <Key extends string>(
  key: Key,
  value: string | null | undefined,
): { readonly [K in Key]?: string } => (value ? { [key]: value } : {}) as { readonly [K in Key]?: string };
