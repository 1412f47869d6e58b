import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A playground for each test: its own pets, users and photos, below its own URL. */
class PetsTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final String SERVICE = System.getenv().getOrDefault("MENAGERIE_URL", "http://127.0.0.1:8080") + "/v2";
  private String token;
  private String base;

  @BeforeEach void createPlayground() throws Exception {
    var created = send("POST", SERVICE + "/playgrounds", "{\"contents\":\"samples\",\"lifetimeSeconds\":600}").body();
    token = textOf("token", created);
    base = textOf("base", created);
  }

  @AfterEach void deletePlayground() throws Exception {
    send("DELETE", SERVICE + "/playgrounds/" + token, null);
  }

  @Test void hasTheSamples() throws Exception {
    assertEquals(200, send("GET", base + "/pet/20", null).statusCode());
    assertEquals(404, send("GET", base + "/pet/21", null).statusCode());
  }

  @Test void deletesOnlyHere() throws Exception {
    assertEquals(200, send("DELETE", base + "/pet/1", null).statusCode());
    assertEquals(404, send("GET", base + "/pet/1", null).statusCode());
  }

  private static HttpResponse<String> send(String method, String url, String json) throws Exception {
    var body = json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json);
    var request = HttpRequest.newBuilder(URI.create(url)).method(method, body);
    if (json != null) request.header("Content-Type", "application/json");
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  /** A project with a library for JSON uses that. */
  private static String textOf(String field, String json) {
    return json.replaceFirst("(?s).*?\"" + field + "\":\"([^\"]*)\".*", "$1");
  }
}
