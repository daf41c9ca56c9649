// A selector above each side-by-side program: shows the differences of another profile next to the affected rules.
// Without this script the page has the same differences in lists to open.
document.addEventListener("DOMContentLoaded", () => {
  for (const list of document.querySelectorAll(".otherwise-list")) {
    const program = list.closest(".side-by-side");
    const ofProfile = [...list.querySelectorAll("details[data-profile]")];
    const select = document.createElement("select");
    select.append(new Option("all, folded", ""));
    for (const one of ofProfile) select.append(new Option(one.querySelector("summary").textContent, one.dataset.profile));

    const show = () => {
      const chosen = select.value;
      for (const one of ofProfile) {
        one.hidden = chosen !== "" && one.dataset.profile !== chosen;
        one.open = one.dataset.profile === chosen;
      }
      for (const notes of program.querySelectorAll("details.otherwise")) {
        const lines = [...notes.querySelectorAll("li")];
        for (const line of lines) line.hidden = chosen !== "" && line.dataset.profile !== chosen;
        notes.hidden = lines.every((line) => line.hidden);
        notes.open = chosen !== "" && !notes.hidden;
        notes.classList.toggle("chosen", notes.open);
      }
    };
    const label = document.createElement("label");
    label.append("What does another profile do otherwise? ", select);
    list.querySelector("p").replaceWith(label);
    select.addEventListener("change", show);
    const asked = new URLSearchParams(location.search).get("profile");
    if (asked && ofProfile.some((one) => one.dataset.profile === asked)) select.value = asked;
    show();
  }
});
