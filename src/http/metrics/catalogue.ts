/** Metrics on the size of the catalogue. */
import type { Statistics } from '../../catalogue/types.ts';
import type { Metric } from '../../lib/metrics.ts';

export function catalogueMetrics({ images, artists, characters, categories }: Statistics): Metric[] {
  const counts = { image: images, artist: artists, character: characters, category: categories };
  return [
    {
      name: 'zukan_catalogue_records',
      type: 'gauge',
      across: 'max',
      help: 'Records by kind.',
      samples: Object.entries(counts).map(([kind, { count }]) => ({ labels: { kind }, value: count })),
    },
    {
      name: 'zukan_catalogue_images',
      type: 'gauge',
      across: 'max',
      help: 'Images by rating.',
      samples: Object.entries(images.nsfw).map(([rating, value]) => ({ labels: { rating }, value })),
    },
  ];
}
