/** What the page has been told so far, so that going back, and what is known already, takes no call. */
import type { Entry, Picture, Subject } from './types.ts';

export interface Answer {
  /** What an artist's, a character's or a category's page is about. */
  subject: Subject | undefined;
  pictures: Picture[];
  entries: Entry[];
  /** How long the whole list is, where there is a list. */
  total: number | undefined;
  /** Where more pictures are, where there are more. */
  cursor: string | undefined;
}

const MAX_ANSWERS = 50;
const MAX_RECORDS = 5000;

/** The answer of each entry in the history. */
const answers = new Map<string, Answer>();
const pictures = new Map<string, Picture>();
const subjects = new Map<string, Subject>();

export function remember(key: string, answer: Answer): void {
  put(answers, key, answer, MAX_ANSWERS);
}

/** What an answer brings along, even one that is not whole yet. */
export function learnFrom(answer: Answer): void {
  answer.pictures.forEach(learnPicture);
  for (const entry of answer.entries) learn(entry);
  if (answer.subject) learn(answer.subject);
}

/** Undefined when there is none, or when its links have expired. */
export function recall(key: string): Answer | undefined {
  const answer = answers.get(key);
  return answer?.pictures.some(isExpired) ? undefined : answer;
}

export function learnPicture(picture: Picture): void {
  put(pictures, picture.id, picture, MAX_RECORDS);
  for (const entry of [...picture.categories, ...picture.characters]) learn(entry);
}

export function knownPicture(id: string): Picture | undefined {
  const picture = pictures.get(id);
  return picture && !isExpired(picture) ? picture : undefined;
}

export function knownSubject(id: string): Subject | undefined {
  return subjects.get(id);
}

/** An entry in a list says less than its own answer did. */
export function learn(entry: Subject): void {
  const images = subjects.get(entry.id)?.images;
  put(subjects, entry.id, images === undefined ? entry : { images, ...entry }, MAX_RECORDS);
}

export function isExpired({ meta }: Picture): boolean {
  return Date.parse(meta.expires) <= Date.now();
}

function put<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
