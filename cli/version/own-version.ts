import { type BuildInfo, buildInfoIn, buildInWords } from '../../platform/build-info.ts';
import { revisionOfCheckout } from '../../platform/revision.ts';

/** What this program was built from. */
export const ownBuild = (): BuildInfo => {
  const build = buildInfoIn(process.env);
  return build.revision === '' ? { ...build, revision: revisionOfCheckout() ?? '' } : build;
};

/** `temper --version` asks no server. */
export const ownVersion = (): string => `temper ${buildInWords(ownBuild())}`;
