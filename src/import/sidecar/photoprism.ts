/** Reads the YAML that PhotoPrism keeps for each picture. People and places stay private. */
import { categoryNames, type SidecarFields, validName } from './fields.ts';
import { rateByMarkers, tagMarkers } from './rating.ts';
import { descriptionText, titleText } from './texts.ts';
import { readFlatYaml } from './yaml.ts';

/** Other programs write YAML too. */
export function isPhotoPrism(text: string): boolean {
  return /^UID: \S/m.test(text) && /^(?:Type|TakenAt|CreatedAt|Quality): \S/m.test(text);
}

export function readPhotoPrism(text: string): SidecarFields {
  const fields = readFlatYaml(text);
  const get = (name: string) => fields.get(name)?.trim() || undefined;
  // What has no source was composed by PhotoPrism: texts of the names of people and of the place, keywords of the place.
  const written = (name: string) => get(`${name}Src`) && get(name);
  const hasPlace = ['Lat', 'Lng', 'PlaceSrc', 'CellID'].some((name) => get(name) !== undefined);
  const keywords = (hasPlace ? written : get)('Details.Keywords')?.split(',') ?? [];
  const names = categoryNames(keywords).filter((name) => validName('category', name));
  const isEstimated = /^(?:estimate|name|auto)?$/.test(get('TakenSrc') ?? '');
  const takenAt = isEstimated ? undefined : isoTime(get('TakenAt'));
  return {
    artist: validName('artist', get('Details.Artist')),
    source: copyright(get('Details.Copyright')),
    categories: names.length > 0 ? [...new Set(names)] : undefined,
    createdAt: takenAt,
    takenAt,
    title: titleText(written('Title')),
    description: descriptionText(written('Caption') ?? written('Description')),
    marked: rateByMarkers(names.flatMap((name) => [...tagMarkers(name)])),
    hidden: hiddenReason(get),
  };
}

function hiddenReason(get: (name: string) => string | undefined): string | undefined {
  if ((get('Private') ?? 'false') !== 'false') return 'private in PhotoPrism';
  return get('DeletedAt') === undefined ? undefined : 'archived in PhotoPrism';
}

function copyright(name: string | undefined): { name: string; url: string } | undefined {
  return name !== undefined && name.length <= 255 ? { name, url: '' } : undefined;
}

function isoTime(text: string | undefined): string | undefined {
  const time = new Date(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text ?? '') ? (text as string) : '');
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
