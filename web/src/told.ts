/** What a chart says where it is pointed at. Text of strangers: never markup. */

export function told(title: string, lines: [string, string][]): HTMLElement {
  const box = document.createElement("div");
  const head = document.createElement("strong");
  head.textContent = title;
  box.append(head);
  for (const [name, value] of lines) {
    const line = document.createElement("div");
    line.textContent = name === "" ? value : `${name}: ${value}`;
    box.append(line);
  }
  return box;
}
