/** The object for which a workflow runs, as in all lines of the log; nothing for workflows without an object. */
export function runFields(workflowId: unknown): Readonly<Record<string, string>> {
  if (typeof workflowId !== 'string') return {};
  const [, namespace, name] = workflowId.split('/');
  return namespace === undefined || name === undefined ? {} : { objectNamespace: namespace, objectName: name };
}
