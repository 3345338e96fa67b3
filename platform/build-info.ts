import manifest from '../package.json' with { type: 'json' };

/** What a program of Temper was built from. */
export interface BuildInfo {
  readonly version: string;
  /** The commit; '' when it is not known. `npm run image` writes it into the image, and the lab sets it. */
  readonly revision: string;
}

export const buildInfoIn = (env: NodeJS.ProcessEnv): BuildInfo => ({
  version: manifest.version,
  revision: env['TEMPER_REVISION'] ?? '',
});

/** `0.1.0 (6b2bc657)` */
export const buildInWords = ({ version, revision }: BuildInfo): string =>
  revision === '' ? version : `${version} (${revision})`;
