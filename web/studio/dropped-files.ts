/** The files that were dropped or chosen, with the folders that they are in. */

export interface ChosenFile {
  file: File;
  /** From the outermost one on. */
  folders: string[];
}

export async function filesOf({ items }: DataTransfer): Promise<ChosenFile[]> {
  // All at once: the list is emptied when the event is over.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return withoutRoot((await Promise.all(entries.map((entry) => filesIn(entry, [])))).flat());
}

/** Those of a file input. */
export function chosenFiles(files: Iterable<File>): ChosenFile[] {
  const folders = ({ webkitRelativePath }: File) => webkitRelativePath.split('/').slice(0, -1);
  return withoutRoot(Array.from(files, (file) => ({ file, folders: folders(file) })));
}

/** A single folder is the one to import, so its own name does not count, as for the command. */
export function withoutRoot<T extends Pick<ChosenFile, 'folders'>>(files: T[]): T[] {
  const [root] = files[0]?.folders ?? [];
  const hasRoot = root !== undefined && files.every(({ folders }) => folders[0] === root);
  return hasRoot ? files.map((chosen) => ({ ...chosen, folders: chosen.folders.slice(1) })) : files;
}

async function filesIn(entry: FileSystemEntry, folders: string[]): Promise<ChosenFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ file, folders }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside = [...folders, entry.name];
  const files: ChosenFile[] = [];
  for (;;) {
    // A call returns a hundred entries at most, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return files;
    for (const found of entries)
      if (!found.name.startsWith('.')) files.push(...(await filesIn(found, inside)));
  }
}
