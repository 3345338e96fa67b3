import { describe, expect, test } from 'vitest';
import { RELEASE, readManifest } from '../../test/builders/krew-manifest.ts';

describe('the manifest', () => {
  test('is one that krew takes, with what is released', async () => {
    const { data, error } = await readManifest();
    expect(error).toBeUndefined();
    expect(data).toMatchObject({ metadata: { name: 'temper' }, spec: { version: RELEASE.version } });
    const [only] = data?.spec.platforms ?? [];
    expect(only).toMatchObject({ uri: RELEASE.uri, sha256: RELEASE.sha256 });
  });

  test('has one archive for each operating system and architecture', async () => {
    const { data } = await readManifest();
    const selected = (data?.spec.platforms ?? []).flatMap(({ selector: { matchExpressions: found } }) => {
      const values = (key: string) => found.find((each) => each.key === key)?.values ?? [];
      return values('os').flatMap((os) => values('arch').map((arch) => `${os}/${arch}`));
    });
    expect(selected.toSorted()).toEqual(['darwin/amd64', 'darwin/arm64', 'linux/amd64', 'linux/arm64']);
  });

  test.each([{ version: '1.14.99' }, { version: 'v1.14' }, { uri: 'kubectl-temper.tar.gz' }, { sha256: 'A' }])(
    'is refused with %j',
    async (change) => {
      expect((await readManifest(change)).success).toBe(false);
    },
  );
});
