import { readFileSync } from 'node:fs';
import { execaSync } from 'execa';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { inRepository, readCompose } from '../../test/builders/compose-file.ts';
import { imageName, imageNameInWords, NAME_FILE, nameIn, PLACEHOLDER, parseImageName } from './name.ts';

const DIGEST = `sha256:${'0a'.repeat(32)}`;
const written = (image: object): string => stringify({ images: [{ name: PLACEHOLDER, ...image }] });

describe('the name of the image', () => {
  test.each([
    'registry.example.com/temper:1.14.99',
    `registry.example.com:5000/team/temper@${DIGEST}`,
    `localhost/temper:0.1.0@${DIGEST}`,
    'registry:5000/temper',
  ])('%s is read in its parts and written as it was', (name) => {
    expect(imageNameInWords(parseImageName(name))).toBe(name);
  });

  test.each(['temper', 'temper:1', 'library/temper:1', 'registry.example.com/', 'registry.example.com/temper:', ''])(
    '%j is refused: it names no registry, or no image',
    (name) => {
      expect(() => parseImageName(name)).toThrow('is no name of an image with its registry');
    },
  );

  test('is what a maintainer writes into the one file, with tag or digest', () => {
    expect(nameIn(written({}))).toBeUndefined();
    const repository = 'registry.example.com/temper';
    expect(nameIn(written({ newName: repository, newTag: '1.14.99' }))).toEqual({ repository, tag: '1.14.99' });
    expect(nameIn(written({ newName: repository, digest: DIGEST }))).toEqual({ repository, digest: DIGEST });
    expect(() => nameIn(written({ newName: 'temper' }))).toThrow('with its registry');
  });

  test('has no default: who gives none is told how to', async () => {
    expect(nameIn(readFileSync(inRepository(NAME_FILE), 'utf8'))).toBeUndefined();
    await expect(imageName(undefined, '--image')).rejects.toThrow(
      /the image has no name: give --image .*image\/kustomization.yaml/,
    );
    expect(await imageName('localhost/temper:1', '--image')).toEqual({ repository: 'localhost/temper', tag: '1' });
  });
});

/** Where files name an image: fields of manifests, and options of commands. */
const NAMED = [
  /^[ \t-]*(?:image|newName):[ \t]*["']?([^\s"'#{}]+)/gm,
  /\bnewName:[ \t]*["']?([^\s"',}]+)/g,
  /(?:--image|--tag|run image -- --name|docker pull|podman pull)[ =]["']?([^\s"'`]+)/g,
];
/** As engines read a name: without a registry, it is one of Docker Hub. */
function readByEngines(name: string): string {
  const [repository = ''] = name.split('@')[0]?.split(/:(?=[^/]*$)/) ?? [];
  const [first = '', ...rest] = repository.split('/');
  if (rest.length === 0) return `docker.io/library/${repository}`;
  return /[.:]|^localhost$/.test(first) ? repository : `docker.io/${repository}`;
}

describe('all tracked files', () => {
  const HUB = ['docker.io', 'library', 'temper'].join('/');
  const files = execaSync('git', ['ls-files'], { cwd: inRepository('') })
    .stdout.split('\n')
    .filter(
      (file) =>
        /\.(?:ts|mjs|md|ya?ml|sh|env|json|rc)$|file$/i.test(file) &&
        !file.startsWith('test/replay/') &&
        file !== 'deploy/image/name.test.ts',
    )
    .map((file) => [file, readFileSync(inRepository(file), 'utf8')] as const);

  test('name no image that engines would look for on Docker Hub under our name', () => {
    const found = files.flatMap(([file, text]) => [
      ...(text.includes(HUB) ? [`${file}: ${HUB}`] : []),
      ...NAMED.flatMap((pattern) => [...text.matchAll(pattern)])
        .map(([, name = '']) => name)
        .filter((name) => readByEngines(name) === HUB)
        .map((name) => `${file}: ${name}`),
    ]);
    expect(found).toEqual([]);
    expect(['temper', 'temper:0.1.0', `temper@${DIGEST}`].map(readByEngines)).toEqual([HUB, HUB, HUB]);
  });

  test('of Kubernetes name the placeholder, which the one file replaces', () => {
    const manifests = files.filter(([file]) => file.startsWith('deploy/kubernetes/') && !file.endsWith('.ts'));
    const images = manifests.flatMap(([, text]) => [...text.matchAll(/^ +image: (.+)$/gm)].map(([, name]) => name));
    expect(images).toEqual([PLACEHOLDER, PLACEHOLDER]);
    const renaming = manifests.filter(([, text]) => /^images:/m.test(text)).map(([file]) => file);
    expect(renaming).toEqual([NAME_FILE]);
    const overlays = manifests.filter(([file]) => /overlays\/.*kustomization.yaml$/.test(file));
    expect(overlays.length).toBeGreaterThan(5);
    expect(overlays.filter(([, text]) => !/^components: .*components\/image\]$/m.test(text))).toEqual([]);
  });

  test('of Compose name an image that is built on the computer', () => {
    const { bridge, workers } = readCompose().services;
    for (const service of [bridge, workers]) expect(service?.image).toMatch(/^localhost\/temper:/);
  });
});
