// One round through the sixteen operations, with the client that openapi-generator makes for Go. Arguments: the base address, a picture.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"

	"petstore"
)

var ctx = context.Background()

func must(answered *http.Response, err error) {
	if err != nil {
		if refusal, ok := err.(petstore.GenericOpenAPIError); ok {
			panic(fmt.Sprint(err, " ", string(refusal.Body())))
		}
		panic(err)
	}
}

func refused(status int, answered *http.Response, err error) {
	if err == nil || answered == nil || answered.StatusCode != status {
		panic(fmt.Sprint("wanted ", status, ", got ", answered, err))
	}
}

func expect(is bool, what interface{}) {
	if !is {
		panic(fmt.Sprintf("unexpected: %+v", what))
	}
}

func rex(name string, status string) petstore.Pet {
	dogs, calm := petstore.NewCategory(), petstore.NewTag()
	dogs.SetId(1)
	dogs.SetName("Dogs")
	calm.SetId(7)
	calm.SetName("calm")
	pet := petstore.NewPet(name, []string{"https://example.org/rex.jpg"})
	pet.SetId(9223372036854775807)
	pet.SetCategory(*dogs)
	pet.SetTags([]petstore.Tag{*calm})
	pet.SetStatus(status)
	return *pet
}

func user(username string, firstName string, password string) petstore.User {
	user := petstore.NewUser()
	user.SetUsername(username)
	user.SetFirstName(firstName)
	if password != "" {
		user.SetPassword(password)
	}
	return *user
}

func main() {
	configuration := petstore.NewConfiguration()
	configuration.Servers = petstore.ServerConfigurations{{URL: os.Args[1]}}
	client := petstore.NewAPIClient(configuration)
	pets, users := client.PetApi, client.UserApi

	first := rex("Rex", "available")
	id := first.GetId()
	_, answered, err := pets.AddPet(ctx).Body(first).Execute()
	must(answered, err)
	got, answered, err := pets.GetPetById(ctx, id).Execute()
	must(answered, err)
	expect(reflect.DeepEqual(got, first), got)
	_, answered, err = pets.UpdatePet(ctx).Body(rex("Rex", "pending")).Execute()
	must(answered, err)
	found, answered, err := pets.FindPetsByStatus(ctx).Status([]string{"pending", "sold"}).Execute()
	must(answered, err)
	expect(len(found) == 1 && found[0].GetId() == id, found)
	found, answered, err = pets.FindPetsByTags(ctx).Tags([]string{"calm", "wild"}).Execute()
	must(answered, err)
	expect(len(found) == 1 && found[0].GetId() == id, found)
	_, answered, err = pets.UpdatePetWithForm(ctx, id).Name("Rex the second").Status("sold").Execute()
	must(answered, err)
	got, answered, err = pets.GetPetById(ctx, id).Execute()
	must(answered, err)
	expect(reflect.DeepEqual(got, rex("Rex the second", "sold")), got)
	picture, err := os.Open(os.Args[2])
	must(nil, err)
	uploaded, answered, err := pets.UploadFile(ctx, id).AdditionalMetadata("in the garden").File(picture).Execute()
	must(answered, err)
	expect(uploaded.GetCode() == 200 && strings.HasPrefix(uploaded.GetMessage(), "additionalMetadata: in the garden\nFile uploaded to ./dog-olive.jpg, "), uploaded)
	_, answered, err = pets.DeletePet(ctx, id).ApiKey("special-key").Execute()
	must(answered, err)
	_, answered, err = pets.GetPetById(ctx, id).Execute()
	refused(404, answered, err)

	lena := user("lena", "Lena", "slow lemurs love lychees")
	_, answered, err = users.CreateUser(ctx).Body(lena).Execute()
	must(answered, err)
	_, answered, err = users.CreateUsersWithArrayInput(ctx).Body([]petstore.User{user("hugo", "Hugo", "some long password")}).Execute()
	must(answered, err)
	_, answered, err = users.CreateUsersWithListInput(ctx).Body([]petstore.User{user("mara", "Mara", "another long password")}).Execute()
	must(answered, err)
	_, answered, err = users.CreateUser(ctx).Body(lena).Execute()
	refused(409, answered, err)
	shown, answered, err := users.GetUserByName(ctx, "lena").Execute()
	must(answered, err)
	expect(shown.GetFirstName() == "Lena" && !shown.HasPassword(), shown)
	login, answered, err := users.LoginUser(ctx).Username("lena").Password("slow lemurs love lychees").Execute()
	must(answered, err)
	// This generator gives texts as they come, which in JSON is with quote marks.
	expect(strings.HasPrefix(strings.Trim(login, `"`), "logged in user session:"), login)
	configuration.AddDefaultHeader("Authorization", "Bearer "+login)
	_, answered, err = users.LoginUser(ctx).Username("lena").Password("wrong").Execute()
	refused(400, answered, err)
	_, answered, err = users.LogoutUser(ctx).Execute()
	delete(configuration.DefaultHeader, "Authorization")
	must(answered, err)
	_, answered, err = users.UpdateUser(ctx, "lena").Body(user("lena", "Magdalena", "")).Execute()
	must(answered, err)
	shown, answered, err = users.GetUserByName(ctx, "lena").Execute()
	must(answered, err)
	expect(shown.GetFirstName() == "Magdalena", shown)
	for _, name := range []string{"lena", "hugo", "mara"} {
		_, answered, err = users.DeleteUser(ctx, name).Execute()
		must(answered, err)
	}
	_, answered, err = users.GetUserByName(ctx, "lena").Execute()
	refused(404, answered, err)
	fmt.Println("all sixteen")
}
