/** A workflow of the type in the recording, which never ends its task. */
export async function hostWorkflow(): Promise<void> {
  for (;;) continue;
}
