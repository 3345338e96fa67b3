export const isBelow = (version: string, limit: string): boolean => compareVersions(version, limit) < 0;
export const isAtLeast = (version: string, limit: string): boolean => compareVersions(version, limit) >= 0;

/** Compares the three numbers; suffixes (`-rc.1`, `+k3s1`) are ignored. */
function compareVersions(a: string, b: string): number {
  const left = numbersOf(a);
  const right = numbersOf(b);
  const differing = left.findIndex((number, i) => number !== right[i]);
  return differing === -1 ? 0 : (left[differing] ?? 0) - (right[differing] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return parts.length === 3 ? parts.map(Number) : [0, 0, 0];
}
