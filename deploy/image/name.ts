import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** What the manifests name while the image has no name. */
export const PLACEHOLDER = 'image-not-set.invalid/temper';

/** The one file with the name of the image, and what kustomize reads of it. */
export const NAME_FILE = 'deploy/kubernetes/components/image/kustomization.yaml';
const nameFile = z.object({
  images: z.tuple([
    z.strictObject({
      name: z.literal(PLACEHOLDER),
      newName: z.string().optional(),
      newTag: z.string().optional(),
      digest: z.string().optional(),
    }),
  ]),
});

/** The name of an image in its parts. */
export interface ImageName {
  /** With the registry. */
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

/** Only a first part like this is a registry: otherwise engines take the name for one of Docker Hub. */
const REGISTRY = String.raw`(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w.-]+:\d+)(?::\d+)?`;
const NAME = new RegExp(
  String.raw`^(?<repository>${REGISTRY}(?:/[a-z\d]+(?:[._-]+[a-z\d]+)*)+)(?::(?<tag>\w[\w.-]*))?(?:@(?<digest>sha256:[\da-f]{64}))?$`,
);

/** Throws when it is no name of an image, or names none of a registry. */
export function parseImageName(text: string): ImageName {
  const { repository, tag, digest } = NAME.exec(text)?.groups ?? {};
  if (repository === undefined)
    throw new Error(
      `${JSON.stringify(text)} is no name of an image with its registry, such as registry.example.com/temper:1.14.99`,
    );
  return { repository, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
}

export const imageNameInWords = ({ repository, tag, digest }: ImageName): string =>
  [repository, ...(tag === undefined ? [] : [`:${tag}`]), ...(digest === undefined ? [] : [`@${digest}`])].join('');

/** The name in a text of the file; undefined: nobody has written one. */
export function nameIn(text: string): ImageName | undefined {
  const [{ newName, newTag, digest }] = nameFile.parse(parse(text)).images;
  if (newName === undefined) return undefined;
  const name = {
    repository: newName,
    ...(newTag !== undefined && { tag: newTag }),
    ...(digest !== undefined && { digest }),
  };
  return parseImageName(imageNameInWords(name));
}

/** The name that is given, or else that of the file. Throws when there is neither: `option` is how to give one. */
export async function imageName(given: string | undefined, option: string): Promise<ImageName> {
  if (given !== undefined) return parseImageName(given);
  const name = nameIn(await readFile(join(import.meta.dirname, '..', '..', NAME_FILE), 'utf8'));
  if (name !== undefined) return name;
  throw new Error(
    `the image has no name: give ${option} registry.example.com/temper:1.14.99, or write newName into ${NAME_FILE}`,
  );
}
