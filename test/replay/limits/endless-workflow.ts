/** Of the type that the recording names. */
export async function hostWorkflow(): Promise<void> {
  for (;;) continue;
}
