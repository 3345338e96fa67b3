import { isGenerated, productionFiles, textOf } from './production.ts';

/** What an optional field of BareMetalHost costs that Ironic keeps as it is: `disablePowerOff` stands for its kind. */

/** From the schema to the request. Files elsewhere decide what else the field means. */
const WAY = /^(?:api\/baremetalhost|domain\/ironic|domain\/host\/(?:desired|memory|registration)|activities\/ironic)\//;
const NAMED = /\b(?:disablePowerOff|disable_power_off)['"]?:/;

/** The files on its way to Ironic, edited by hand, that have its name as that of a field, ours or Ironic's. */
export const filesOfField = (checkout: string): readonly string[] =>
  productionFiles(checkout)
    .filter((file) => WAY.test(file))
    .filter((file) => {
      const text = textOf(checkout, file);
      return NAMED.test(text) && !isGenerated(text);
    });
