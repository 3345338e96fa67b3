import type {
  Metal3DataTemplateSpecGiven,
  Metal3DataTemplateStatus,
  NetworkDataGiven,
} from '../../../api/metal3datatemplate/schema.ts';
import type {
  Metal3DataTemplateSpecV1Beta1,
  Metal3DataTemplateStatusV1Beta1,
  NetworkDataV1Beta1,
} from '../../../api/metal3datatemplate/v1beta1.ts';
import { type Conversion, type Convertible, conversion } from '../../conversion/convertible.ts';
import { byText, given, unlessEmpty } from '../../conversion/given.ts';
import { linksFromHub, linksToHub } from './links.ts';
import { metaDataFromHub, metaDataToHub } from './meta-data.ts';
import { networksFromHub, networksToHub } from './networks.ts';

const networkDataToHub = ({ links, networks, services }: NetworkDataV1Beta1): NetworkDataGiven =>
  given({
    links: unlessEmpty(links && linksToHub(links)),
    networks: unlessEmpty(networks && networksToHub(networks)),
    services: unlessEmpty(services),
  });

/** All three parts are always shown. */
const networkDataFromHub = ({ links = {}, networks = {}, services = {} }: NetworkDataGiven): NetworkDataV1Beta1 => ({
  links: linksFromHub(links),
  networks: networksFromHub(networks),
  services,
});

/** `templateReference` is dropped. */
function specToHub({ clusterName, metaData, networkData }: Metal3DataTemplateSpecV1Beta1): Metal3DataTemplateSpecGiven {
  return {
    ...given({ clusterName }),
    ...(metaData !== undefined && { metaData: metaDataToHub(metaData) }),
    ...(networkData !== undefined && { networkData: networkDataToHub(networkData) }),
  };
}

function specFromHub(spec: Metal3DataTemplateSpecGiven): Metal3DataTemplateSpecV1Beta1 {
  const { clusterName = '', metaData, networkData } = spec;
  return {
    clusterName,
    ...(metaData !== undefined && { metaData: metaDataFromHub(metaData) }),
    ...(networkData !== undefined && { networkData: networkDataFromHub(networkData) }),
  };
}

/** Sorted by index, then by name; an index should occur only once. */
function statusToHub({ lastUpdated, indexes = {} }: Metal3DataTemplateStatusV1Beta1): Metal3DataTemplateStatus {
  const inOrder = Object.entries(indexes)
    .map(([name, index]) => ({ name, index }))
    .toSorted((a, b) => a.index - b.index || byText(a.name, b.name));
  return given({ lastUpdated, indexes: inOrder });
}

interface Entry {
  /** Left out when it was an empty text. */
  readonly name?: string;
  readonly index: number;
}

const statusFromHub = ({ lastUpdated, indexes }: Metal3DataTemplateStatus): Metal3DataTemplateStatusV1Beta1 =>
  given({
    lastUpdated,
    indexes: indexes && Object.fromEntries(indexes.map(({ name = '', index }: Entry) => [name, index])),
  });

const ofParts: Conversion = conversion({ specToHub, specFromHub, statusToHub, statusFromHub });

/** v1beta1 needs no spec, but a spec needs the name of its cluster: one without any field is left out. */
function fromHub(object: Convertible): Convertible {
  const { spec, ...rest } = ofParts.fromHub(object);
  return unlessEmpty(given(spec ?? {})) === undefined ? rest : { ...rest, spec };
}

export const metal3DataTemplateConversion: Conversion = { ...ofParts, fromHub };
