// The two plots of the play page, as SVG: windows over time, and the algorithm's own quantity below.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const [LEFT, RIGHT, TOP, BOTTOM] = [62, 12, 10, 28];

  function make(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function ticks(largest, count) {
    const rough = largest / count || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
    const found = [];
    for (let at = 0; at <= largest * 1.0001; at += step) found.push(at);
    return found;
  }

  // A window is valid until the next event, so lines are drawn as steps.
  function stairs(points, x, y) {
    let path = "";
    let last = null;
    for (const [t, value] of points) {
      if (value === null || value === undefined) {
        last = null;
        continue;
      }
      path += last === null ? `M${x(t)},${y(value)}` : `H${x(t)}V${y(value)}`;
      last = value;
    }
    return path;
  }

  /** Draw series [{label, points, className}], levels [{label, value}] and bands [{phase, from, to}] into a box; return the scale of its x axis. */
  function draw(box, { series, levels = [], marks = [], bands = [], unit, height, end }) {
    const width = Math.max(340, Math.min(box.clientWidth || 760, 1200)); // letters keep their size on a phone
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    let largest = Math.max(...levels.map((level) => level.value), 0);
    for (const one of series) for (const [, value] of one.points) if (value > largest) largest = value;
    largest = largest * 1.05 || 1;
    const x = (t) => +(LEFT + ((width - LEFT - RIGHT) * t) / (end || 1)).toFixed(1);
    const y = (value) => +(height - BOTTOM - ((height - TOP - BOTTOM) * value) / largest).toFixed(1);

    bands.forEach(({ phase, from, to }, i) => {
      const [left, wide] = [x(from), +(x(to) - x(from)).toFixed(1)];
      svg.append(make("rect", { x: left, width: wide, y: TOP, height: height - TOP - BOTTOM, class: `band band${i % 2}` }));
      const name = phase.replaceAll("_", " ");
      if (wide > 6.5 * name.length) svg.append(make("text", { x: left + 4, y: TOP + 12, class: "band-name" }, name));
    });
    for (const at of ticks(largest, height < 150 ? 2 : 4)) {
      svg.append(make("line", { x1: LEFT, x2: width - RIGHT, y1: y(at), y2: y(at), class: "grid" }));
      svg.append(make("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, +(at / unit.scale).toPrecision(6)));
    }
    for (const at of ticks(end * 0.95, width / 90)) svg.append(make("text", { x: x(at), y: height - 10, "text-anchor": "middle" }, at));
    svg.append(make("text", { x: 4, y: height - 10 }, unit.name));
    svg.append(make("text", { x: width - RIGHT, y: height - 10, "text-anchor": "end" }, "ms"));
    for (const { label, value } of levels) {
      svg.append(make("line", { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value), class: "level" }));
      svg.append(make("text", { x: LEFT + 6, y: y(value) - 3, class: "level-name" }, label));
    }
    for (const one of series) svg.append(make("path", { d: stairs(one.points, x, y), class: `line ${one.className}` }));
    for (const { t, className } of marks) {
      svg.append(make("line", { x1: x(t), x2: x(t), y1: height - BOTTOM, y2: height - BOTTOM + 6, class: className }));
    }
    const cursor = make("line", { y1: TOP, y2: height - BOTTOM, class: "cursor" });
    svg.append(cursor);
    svg.setAttribute("aria-label", series.map((one) => one.label).join(", ") + " over time in milliseconds");
    box.replaceChildren(svg);
    return {
      show: (t) => ["x1", "x2"].forEach((key) => cursor.setAttribute(key, x(t))),
      timeOf: (clientX) => {
        const area = svg.getBoundingClientRect();
        const at = ((clientX - area.left) / area.width) * width;
        return ((at - LEFT) / (width - LEFT - RIGHT)) * end;
      },
    };
  }

  Object.assign(window.Play, { draw });
})();
