// Notifications of the browser. They name the client, the tool and the server, nothing of the
// arguments.
import type { Question } from "../contract";
import { safeText } from "../safe-text";
import { cutMiddle, lastPart } from "../text";

export class Notifier {
  get state(): NotificationPermission | "missing" {
    return "Notification" in window ? Notification.permission : "missing";
  }

  async ask(): Promise<NotificationPermission | "missing"> {
    return "Notification" in window ? Notification.requestPermission() : "missing";
  }

  announce(questions: Question[]): void {
    const first = questions[0];
    if (!first || this.state !== "granted" || !document.hidden) return;
    const text = (value: string) => cutMiddle(safeText(value), 80);
    const more = questions.length > 1 ? ` and ${questions.length - 1} more` : "";
    const place = first.project ? ` in ${text(lastPart(first.project))}` : "";
    const notification = new Notification(`${text(first.client ?? "A client")} asks you${more}`, {
      body: `${text(first.tool)} of ${text(first.shown.server || first.server)}${place}`,
      tag: "overt-questions",
      icon: "/icon.svg",
    });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  }
}
