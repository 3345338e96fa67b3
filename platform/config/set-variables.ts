/** The variables with a value. An empty one counts as not set, as manifests and shells often write it. */
export const setVariables = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
